// Opens a real VS Code: code-server with the packaged extension, in a home of its own, shown by Chromium.

import { spawn, spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { chromium } from "playwright-core";

const DEADLINE = 60_000;
const repository = resolve(import.meta.dirname, "../../..");
const extension = resolve(import.meta.dirname, "../rolebook.vsix");

/**
 * A window on a folder that isn't trusted and holds these files and the project's own .venv. `configure` writes
 * the settings of a scope, `close` ends and removes everything.
 */
export async function openWindow({ codeServer, browser, files }) {
  const home = mkdtempSync(join(tmpdir(), "rolebook-vscode-"));
  const workspace = join(home, "workspace");
  mkdirSync(workspace);
  for (const [name, text] of Object.entries(files)) {
    writeFileSync(join(workspace, name), text);
  }
  symlinkSync(join(repository, ".venv"), join(workspace, ".venv"));
  const configure = (scope, settings) => {
    mkdirSync(join(home, "data", scope), { recursive: true });
    writeFileSync(join(home, "data", scope, "settings.json"), JSON.stringify(settings));
  };
  configure("User", {
    "security.workspace.trust.startupPrompt": "never",
    "terminal.integrated.gpuAcceleration": "off", // The terminal is text in the page then.
  });
  configure("Machine", {});

  const server = await startServer(codeServer, home, workspace);
  let chrome;
  const close = async () => {
    await chrome?.close();
    await server.stop();
    rmSync(home, { recursive: true, force: true, maxRetries: 10, retryDelay: 100 });
  };
  try {
    chrome = await chromium.launch({
      executablePath: browser,
      args: ["--no-sandbox", "--disable-gpu", "--disable-quic"],
    });
    const page = await chrome.newPage({ viewport: { width: 1400, height: 900 } });
    page.setDefaultTimeout(DEADLINE);
    await page.goto(server.address);
    return { page, configure, close };
  } catch (error) {
    await close();
    throw error;
  }
}

async function startServer(codeServer, home, workspace) {
  // An address that nobody answers keeps the editor from looking for extensions elsewhere.
  const gallery = { serviceUrl: "http://127.0.0.1:9/none", itemUrl: "", resourceUrlTemplate: "" };
  const env = { ...process.env, HOME: home, EXTENSIONS_GALLERY: JSON.stringify(gallery) };
  const folders = ["--user-data-dir", join(home, "data"), "--extensions-dir", join(home, "extensions")];
  const installed = spawnSync(codeServer, [...folders, "--install-extension", extension], { env, encoding: "utf8" });
  if (installed.status !== 0) {
    throw new Error(`The extension was not installed: ${installed.stdout}${installed.stderr}`);
  }

  const port = await freePort();
  const address = `http://127.0.0.1:${port}`;
  const network = [
    "--auth",
    "none",
    "--bind-addr",
    `127.0.0.1:${port}`,
    "--disable-telemetry",
    "--disable-update-check",
  ];
  const start = ["--disable-getting-started-override", workspace];
  // A process group of its own, so that extension hosts and language servers end with it.
  const child = spawn(codeServer, [...folders, ...network, ...start], { env, detached: true, stdio: "ignore" });
  const exit = new Promise((resolve) => child.once("exit", resolve));
  const stop = async () => {
    if (child.exitCode === null) {
      process.kill(-child.pid);
    }
    await exit;
  };

  const end = Date.now() + DEADLINE;
  while (!(await answers(`${address}/healthz`))) {
    if (child.exitCode !== null || Date.now() > end) {
      await stop();
      throw new Error(`code-server did not answer; exit status ${child.exitCode}`);
    }
    await pause(100);
  }
  return { address, stop };
}

async function answers(url) {
  try {
    return (await fetch(url)).ok;
  } catch {
    return false;
  }
}

function freePort() {
  return new Promise((resolve) => {
    const probe = createServer().listen(0, "127.0.0.1", () => {
      const { port } = probe.address();
      probe.close(() => resolve(port));
    });
  });
}
