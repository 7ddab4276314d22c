// Which documents the server gets, and which of them are reason enough to start it.

import * as vscode from "vscode";

const NAMED = "**/{root_agent,*.agent}.{yaml,yml}";

/**
 * Any YAML file can be a definition, by a key in it or because another one names it; the server can tell, and says
 * nothing about the others. Files with a definition's name count even where another extension took their language.
 */
export const documentSelector = [
  { scheme: "file", pattern: NAMED },
  { scheme: "file", language: "yaml" },
  { scheme: "untitled", language: "yaml" },
  { scheme: "file", language: "markdown", pattern: "**/*.agent.md" },
];

/** Whether the document is a definition, or may be named by one in this workspace. */
export async function needsServer(document: vscode.TextDocument): Promise<boolean> {
  if (vscode.languages.match(documentSelector, document) === 0) {
    return false;
  }
  if (vscode.languages.match({ pattern: NAMED }, document) > 0 || /^agent_class\s*:/m.test(document.getText())) {
    return true;
  }
  return (await vscode.workspace.findFiles(NAMED, "**/{node_modules,.venv}/**", 1)).length > 0;
}
