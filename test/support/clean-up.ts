/** Steps that a test leaves for its end, such as stopping its servers. */

const steps: (() => unknown)[] = [];

export function onCleanUp(step: () => unknown): void {
  steps.push(step);
}

/** Stops the server at the end of the test. */
export function keep<T extends { stop(): unknown }>(server: T): T {
  onCleanUp(() => server.stop());
  return server;
}

/** For `afterEach`: runs all steps, the latest first. */
export async function cleanUp(): Promise<void> {
  for (const step of steps.splice(0).reverse()) await step();
}
