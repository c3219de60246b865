/** A look at everything that a scan needs, asked for on a page and read there once it is done. */

/** What was found about one part. */
export interface Finding {
  readonly what: "data directory" | "port" | "checks" | "dns" | "browser";
  readonly state: "ok" | "failed";
  /** One sentence, in English, as the command line says it. */
  readonly detail: string;
}

export type ExaminationState =
  | { readonly status: "never" }
  | { readonly status: "running"; readonly since: string }
  /** Null: the look itself failed, and the log tells why. */
  | { readonly status: "done"; readonly at: string; readonly findings: readonly Finding[] | null };

export interface Examination {
  state(): ExaminationState;
  /** Begins one; while one runs, that one is the answer. */
  begin(): void;
}

/** The state is kept in memory: it tells of this process. */
export function createExamination(
  examine: () => Promise<readonly Finding[]>,
  { now, onFailure }: { readonly now: () => Date; readonly onFailure: (error: unknown) => void },
): Examination {
  let state: ExaminationState = { status: "never" };

  async function run(): Promise<void> {
    let findings: readonly Finding[] | null = null;
    try {
      findings = await examine();
    } catch (error) {
      onFailure(error);
    }
    state = { status: "done", at: now().toISOString(), findings };
  }

  return {
    state: () => state,
    begin: () => {
      if (state.status === "running") return;
      state = { status: "running", since: now().toISOString() };
      void run();
    },
  };
}
