// Finds the `rolebook` command: the one that is set, else the one in a workspace folder's .venv, else the one on PATH.

import { constants } from "node:fs";
import { access, stat } from "node:fs/promises";
import { delimiter, isAbsolute, join } from "node:path";
import * as vscode from "vscode";

/** The command's path. When there is none, the user is told, and where it was looked for is logged. */
export async function findExecutable(log: vscode.LogOutputChannel): Promise<string | undefined> {
  const setting = vscode.workspace.getConfiguration("rolebook").get("server.path", "");
  const tried = setting === "" ? [...inWorkspace(), ...onPath()] : [setting];
  for (const path of tried) {
    if (await isExecutable(path)) {
      return path;
    }
  }
  log.error(["No rolebook command among:", ...tried].join("\n  "));
  void reportMissing(setting);
  return undefined;
}

const [scripts, name] = process.platform === "win32" ? ["Scripts", "rolebook.exe"] : ["bin", "rolebook"];

/** A workspace that isn't trusted must not say what is started, not even to check a file. */
function inWorkspace(): string[] {
  const folders = vscode.workspace.isTrusted ? (vscode.workspace.workspaceFolders ?? []) : [];
  return folders.filter(({ uri }) => uri.scheme === "file").map(({ uri }) => join(uri.fsPath, ".venv", scripts, name));
}

/** A relative entry of PATH would mean a folder of whatever workspace is open, so those are passed over. */
function onPath(): string[] {
  const folders = (process.env["PATH"] ?? "").split(delimiter);
  return folders.filter((folder) => isAbsolute(folder)).map((folder) => join(folder, name));
}

async function isExecutable(path: string): Promise<boolean> {
  try {
    await access(path, constants.X_OK);
    return (await stat(path)).isFile();
  } catch {
    return false;
  }
}

function reportMissing(setting: string): Promise<void> {
  if (setting !== "") {
    return offer(`The setting rolebook.server.path names no program: ${setting}`, openSetting);
  }
  if (!vscode.workspace.isTrusted) {
    return offer(
      "rolebook isn't on PATH, and a workspace's own is used only once the workspace is trusted.",
      manageTrust,
    );
  }
  return offer("rolebook is neither in this workspace's .venv nor on PATH. Install it, or set its path.", openSetting);
}

const openSetting = {
  title: "Open Setting",
  command: "workbench.action.openSettings",
  argument: "rolebook.server.path",
};
const manageTrust = { title: "Manage Trust", command: "workbench.trust.manage", argument: undefined };

async function offer(message: string, way: typeof openSetting | typeof manageTrust): Promise<void> {
  if ((await vscode.window.showErrorMessage(message, way)) !== undefined) {
    await vscode.commands.executeCommand(way.command, way.argument);
  }
}
