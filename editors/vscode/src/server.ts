// The life of the language server: started when first needed, restarted on demand, stopped with the window.

import type * as vscode from "vscode";
import { LanguageClient } from "vscode-languageclient/node";
import { documentSelector } from "./definitions";
import { findExecutable } from "./executable";

export class Server {
  private client: LanguageClient | undefined;
  private last: Promise<void> | undefined;
  private waiting: Promise<void> | undefined;

  constructor(private readonly log: vscode.LogOutputChannel) {}

  /** Whether a document has needed the server so far. */
  get wanted(): boolean {
    return this.last !== undefined;
  }

  /** Starts the server anew, after any start under way; calls made while one waits share it. Never rejects. */
  restart(): Promise<void> {
    if (this.waiting === undefined) {
      this.waiting = (this.last ?? Promise.resolve()).then(async () => {
        this.waiting = undefined;
        await this.stop();
        await this.start();
      });
      this.last = this.waiting;
    }
    return this.waiting;
  }

  async stop(): Promise<void> {
    const client = this.client;
    this.client = undefined;
    try {
      await client?.dispose();
    } catch (error) {
      // A client whose server has crashed can't be stopped, and nothing is left to stop.
      this.log.warn("The server could not be stopped.", error);
    }
  }

  private async start(): Promise<void> {
    const command = await findExecutable(this.log);
    if (command === undefined) {
      return;
    }
    this.log.info(`Starting ${command} lsp`);
    const client = new LanguageClient(
      "rolebook",
      "Rolebook",
      { command, args: ["lsp"] },
      { documentSelector, outputChannel: this.log },
    );
    try {
      await client.start();
      this.client = client;
    } catch (error) {
      // The client has told the user by now.
      this.log.error("The server did not start.", error);
    }
  }
}
