BEGIN TRANSACTION;
CREATE TABLE app_state (
	app TEXT NOT NULL, 
	name TEXT NOT NULL, 
	value TEXT NOT NULL, 
	PRIMARY KEY (app, name)
);
INSERT INTO "app_state" VALUES('app','app:plan','"pro"');
CREATE TABLE events (
	session INTEGER NOT NULL, 
	position INTEGER NOT NULL, 
	event TEXT NOT NULL, 
	PRIMARY KEY (session, position), 
	FOREIGN KEY(session) REFERENCES sessions (number) ON DELETE CASCADE
);
INSERT INTO "events" VALUES(1,0,'{"id":"e0","author":"user","branch":null,"invocation":"i1","parts":[{"text":"How''s the weather in Z\u00fcrich?"}],"metadata":{"time":"2026-11-30T16:00:00.000+00:00","state":{"city":"Z\u00fcrich"}}}');
INSERT INTO "events" VALUES(1,1,'{"id":"e1","author":"weather","branch":"root.weather","invocation":"i1","parts":[{"function_call":{"id":"c1","name":"get_weather","args":{"city":"Z\u00fcrich"}}}]}');
INSERT INTO "events" VALUES(1,2,'{"id":"e2","author":"weather","branch":"root.weather","invocation":"i1","parts":[{"function_response":{"id":"c1","name":"get_weather","response":{"temp_f":72}}}],"metadata":{"state":{"last":72}}}');
INSERT INTO "events" VALUES(1,3,'{"id":"e3","author":"weather","branch":"root.weather","invocation":"i1","parts":[{"text":"Z\u00fcrich: 72 \u00b0F"}]}');
CREATE TABLE rolebook_schema (
	version INTEGER NOT NULL
);
INSERT INTO "rolebook_schema" VALUES(1);
CREATE TABLE session_state (
	session INTEGER NOT NULL, 
	name TEXT NOT NULL, 
	value TEXT NOT NULL, 
	PRIMARY KEY (session, name), 
	FOREIGN KEY(session) REFERENCES sessions (number) ON DELETE CASCADE
);
INSERT INTO "session_state" VALUES(1,'mood','"good"');
INSERT INTO "session_state" VALUES(1,'city','"Z\u00fcrich"');
INSERT INTO "session_state" VALUES(1,'last','72');
CREATE TABLE sessions (
	number INTEGER NOT NULL, 
	app TEXT NOT NULL, 
	user_id TEXT NOT NULL, 
	id TEXT NOT NULL, 
	started VARCHAR(32) NOT NULL, 
	updated VARCHAR(32) NOT NULL, 
	events INTEGER NOT NULL, 
	PRIMARY KEY (number), 
	UNIQUE (app, user_id, id)
);
INSERT INTO "sessions" VALUES(1,'app','ann','1','2026-11-30T16:45:53.592438+00:00','2026-11-30T16:45:53.655669+00:00',4);
INSERT INTO "sessions" VALUES(2,'app','bob','1','2026-11-30T16:45:53.661114+00:00','2026-11-30T16:45:53.661114+00:00',0);
CREATE TABLE user_state (
	app TEXT NOT NULL, 
	user_id TEXT NOT NULL, 
	name TEXT NOT NULL, 
	value TEXT NOT NULL, 
	PRIMARY KEY (app, user_id, name)
);
INSERT INTO "user_state" VALUES('app','ann','user:lang','"de"');
COMMIT;
