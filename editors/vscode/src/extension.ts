// Connects the editor's events and commands to the server and the runner. Nothing starts before a definition is open.

import { basename } from "node:path";
import * as vscode from "vscode";
import { needsServer } from "./definitions";
import { findExecutable } from "./executable";
import { Server } from "./server";

let server: Server | undefined;

export function activate(context: vscode.ExtensionContext): void {
  const log = vscode.window.createOutputChannel("Rolebook", { log: true });
  const current = (server = new Server(log));

  const startFor = async (document: vscode.TextDocument) => {
    if (!current.wanted && (await needsServer(document)) && !current.wanted) {
      await current.restart();
    }
  };
  const restartIfWanted = async () => {
    if (current.wanted) {
      await current.restart();
    }
  };

  context.subscriptions.push(
    log,
    vscode.commands.registerCommand("rolebook.runAgent", (uri?: vscode.Uri) => runAgent(log, uri)),
    vscode.commands.registerCommand("rolebook.restartServer", () => current.restart()),
    vscode.workspace.onDidOpenTextDocument(startFor),
    vscode.workspace.onDidSaveTextDocument(startFor),
    vscode.workspace.onDidGrantWorkspaceTrust(restartIfWanted),
    vscode.workspace.onDidChangeConfiguration(async (change) => {
      if (change.affectsConfiguration("rolebook.server.path")) {
        await restartIfWanted();
      }
    }),
  );
  for (const document of vscode.workspace.textDocuments) {
    void startFor(document);
  }
}

export async function deactivate(): Promise<void> {
  await server?.stop();
}

/** Opens a conversation with the agent in the terminal. A task needs no quoting, and its output stays when it ends. */
async function runAgent(
  log: vscode.LogOutputChannel,
  uri = vscode.window.activeTextEditor?.document.uri,
): Promise<void> {
  const saved = uri && (await vscode.workspace.save(uri));
  const command = saved && (await findExecutable(log));
  if (!command) {
    return;
  }
  const folder = vscode.workspace.getWorkspaceFolder(saved);
  const task = new vscode.Task(
    { type: "rolebook", file: saved.fsPath },
    folder ?? vscode.TaskScope.Workspace,
    `Run ${basename(saved.fsPath)}`,
    "Rolebook",
    new vscode.ProcessExecution(command, ["run", saved.fsPath]),
    [],
  );
  task.presentationOptions = { focus: true, clear: true, showReuseMessage: false };
  await vscode.tasks.executeTask(task);
}
