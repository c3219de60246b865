/** `--watch`: a new verdict after each save, and the end at SIGINT. */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, describe, expect, test } from "vitest";
import { evidence } from "../../support/evidence.ts";
import { programUnderTest } from "../../support/program.ts";
import { removeScaffoldedPlugins, scaffoldedPlugin } from "../../support/scaffolded-plugin.ts";

const check = "acme-build.ts";
const interrupted = 130;

const children = new Set<Bun.Subprocess>();

afterAll(() => {
  for (const child of children) child.kill("SIGKILL");
  removeScaffoldedPlugins();
});

interface Watching {
  /** Waits for output that matches, and returns all since the last match. @throws Error if the command ends before. */
  seen(pattern: RegExp): Promise<string>;
  /** Sends SIGINT; the exit code. */
  end(): Promise<number>;
}

function watching(args: readonly string[]): Watching {
  const child = Bun.spawn([...programUnderTest, "checks", ...args, "--watch"], { stdin: "ignore", stdout: "pipe", stderr: "pipe" });
  children.add(child);
  let output = "";
  const waiting = new Set<() => void>();
  const read = async (stream: ReadableStream<Uint8Array>) => {
    const decoder = new TextDecoder();
    for await (const chunk of stream) {
      output += decoder.decode(chunk, { stream: true });
      for (const look of waiting) look();
    }
  };
  const ended = Promise.all([read(child.stdout), read(child.stderr)]);
  return {
    seen: async (pattern) => {
      const { promise, resolve } = Promise.withResolvers<void>();
      const look = () => {
        if (pattern.test(output)) resolve();
      };
      waiting.add(look);
      look();
      await Promise.race([promise, ended.then(() => Promise.reject(new Error(`ended before ${pattern}: ${output}`)))]);
      waiting.delete(look);
      const seen = output;
      output = "";
      return seen;
    },
    end: async () => {
      child.kill("SIGINT");
      return child.exited;
    },
  };
}

describe("--watch", () => {
  test("tries again after a save of the check and of the evidence", async () => {
    const plugin = scaffoldedPlugin();
    const captured = join(plugin.folder, "captured.json");
    writeFileSync(captured, JSON.stringify(evidence()));
    const command = watching(["try", join(plugin.folder, check), captured]);
    await command.seen(/\nviolated[\s\S]*waiting for a change/);
    const sent = JSON.stringify(evidence({ headers: { "x-acme-build": "1" } }));
    const [passed, violated] = [/\npassed[\s\S]*waiting for a change/, /\nviolated[\s\S]*waiting for a change/];
    writeFileSync(captured, sent);
    await command.seen(passed);
    plugin.edit(check, "=== undefined", "!== undefined");
    await command.seen(violated);
    plugin.edit(check, "!== undefined", "=== undefined");
    await command.seen(passed);
    expect(await command.end()).toBe(interrupted);
  });

  test("tests again, also after a fault, and not after a save of other files", async () => {
    const plugin = scaffoldedPlugin();
    const command = watching(["test", plugin.folder]);
    await command.seen(/9 cases, all passed[\s\S]*waiting for a change/);
    plugin.edit(check, "weight:", "wieght:");
    await command.seen(/did you mean weight\?[\s\S]*waiting for a change/);
    // A redirection of the output writes such a file.
    writeFileSync(join(plugin.folder, "output.txt"), "x");
    plugin.edit(check, "wieght:", "weight:");
    const output = await command.seen(/all passed[\s\S]*waiting for a change/);
    expect(output).toContain("acme-build.ts was saved at ");
    expect(output).not.toContain("output.txt");
    expect(await command.end()).toBe(interrupted);
  });
});
