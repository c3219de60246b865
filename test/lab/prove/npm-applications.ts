/** Applications from npm: single-page applications that their own tools make and build, and servers. Installing them asks the npm registry. */
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { portWithoutListener } from "../../support/ports.ts";
import { runProgram } from "../php-site.ts";
import { type ProvedApplication, type RunningApplication, startedIn } from "./applications.ts";

const createVite = "create-vite@9.3.0";

function npmIn(folder: string, ...args: readonly string[]): void {
  runProgram("npm", "--prefix", folder, "--no-audit", "--no-fund", "--loglevel=error", ...args);
}

function install(folder: string, ...packages: readonly string[]): void {
  writeFileSync(join(folder, "package.json"), "{}\n");
  npmIn(folder, "install", ...packages);
}

/** The example of a framework, built for production. */
function builtByVite(template: string): () => Promise<RunningApplication> {
  return () =>
    startedIn(async (folder) => {
      const create = ["exec", "--yes", `--package=${createVite}`, "--", "create-vite", "app", "--template", template, "--no-interactive"];
      runProgram("/usr/bin/env", "-C", folder, "npm", ...create);
      const project = join(folder, "app");
      npmIn(project, "install");
      npmIn(project, "run", "build");
      return { files: join(project, "dist") };
    });
}

function vitepress(): Promise<RunningApplication> {
  return startedIn(async (folder) => {
    install(folder, "vitepress@1.6.4", "vue@3.5.45");
    const text = "# Handbook\n\nText with `code`.\n\n```js\nconst answer = 42;\n```\n";
    writeFileSync(join(folder, "index.md"), text);
    npmIn(folder, "exec", "--", "vitepress", "build", folder);
    return { files: join(folder, ".vitepress/dist") };
  });
}

function tiddlyWiki(): Promise<RunningApplication> {
  return startedIn(async (folder) => {
    install(folder, "tiddlywiki@5.4.1");
    const wiki = join(folder, "wiki");
    const program = join(folder, "node_modules/tiddlywiki/tiddlywiki.js");
    runProgram("node", program, wiki, "--init", "server");
    const port = portWithoutListener();
    return { port, command: ["/usr/bin/env", "node", program, wiki, "--listen", `port=${port}`, "host=127.0.0.1"] };
  });
}

function swaggerUi(): Promise<RunningApplication> {
  return startedIn(async (folder) => {
    install(folder, "swagger-ui-dist@5.35.0");
    const files = join(folder, "node_modules/swagger-ui-dist");
    const description = { openapi: "3.0.3", info: { title: "Laboratory", version: "1" }, paths: { "/scans": { get: { responses: {} } } } };
    writeFileSync(join(files, "description.json"), JSON.stringify(description));
    writeFileSync(
      join(files, "swagger-initializer.js"),
      `window.onload = () => { window.ui = SwaggerUIBundle({ url: "/description.json", dom_id: "#swagger-ui", validatorUrl: null,
        presets: [SwaggerUIBundle.presets.apis, SwaggerUIStandalonePreset], layout: "StandaloneLayout" }); };`,
    );
    return { files };
  });
}

function nodeRed(): Promise<RunningApplication> {
  return startedIn(async (folder) => {
    install(folder, "node-red@4.1.0");
    const home = join(folder, "home");
    mkdirSync(home);
    const port = portWithoutListener();
    const settings = { uiHost: "127.0.0.1", uiPort: port, telemetry: { enabled: false } };
    writeFileSync(join(home, "settings.js"), `module.exports = ${JSON.stringify(settings)};\n`);
    return { port, command: ["/usr/bin/env", "node", join(folder, "node_modules/node-red/red.js"), "--userDir", home] };
  });
}

function revealJs(): Promise<RunningApplication> {
  return startedIn(async (folder) => {
    install(folder, "reveal.js@6.0.2");
    return { files: join(folder, "node_modules/reveal.js") };
  });
}

function jsonServer(): Promise<RunningApplication> {
  return startedIn(async (folder) => {
    install(folder, "json-server@0.17.4");
    writeFileSync(join(folder, "data.json"), '{ "posts": [{ "id": 1, "title": "Laboratory" }] }');
    const port = portWithoutListener();
    const program = join(folder, "node_modules/json-server/lib/cli/bin.js");
    return { port, command: ["/usr/bin/env", "node", program, "--host", "127.0.0.1", "--port", String(port), join(folder, "data.json")] };
  });
}

const npm = { file: null, path: "/", rung: "strict-nonce" } as const;

/** Run only where they are asked for. */
export const npmApplications: readonly ProvedApplication[] = [
  { ...npm, name: "React", package: createVite, start: builtByVite("react") },
  { ...npm, name: "Vue", package: createVite, start: builtByVite("vue") },
  { ...npm, name: "Svelte", package: createVite, start: builtByVite("svelte") },
  { ...npm, name: "VitePress", package: "vitepress", start: vitepress },
  { ...npm, name: "TiddlyWiki", package: "tiddlywiki", rung: "strict-hash", start: tiddlyWiki },
  { ...npm, name: "Swagger UI", package: "swagger-ui-dist", start: swaggerUi },
  // It writes script elements with document.write, and its scripts add 41 inline scripts.
  { ...npm, name: "Node-RED", package: "node-red", rung: "hosts", verdict: "blocks", start: nodeRed },
  { ...npm, name: "reveal.js", package: "reveal.js", start: revealJs },
  { ...npm, name: "JSON Server", package: "json-server", start: jsonServer },
];
