/** Run of the doctor in the background: started on a page, its findings shown there when it is done. */

export interface DoctorFinding {
  readonly what: "data directory" | "port" | "checks" | "dns" | "nats" | "oidc" | "browser";
  readonly state: "ok" | "failed";
  readonly detail: string;
}

type DoctorRunState =
  | { readonly status: "never" }
  | { readonly status: "running"; readonly since: string }
  /** Findings are null if the run itself failed; the log has the reason. */
  | { readonly status: "done"; readonly at: string; readonly findings: readonly DoctorFinding[] | null };

export interface DoctorRun {
  state(): DoctorRunState;
  begin(): void;
}

/** State in memory only: it describes this process. */
export function createDoctorRun(
  examine: () => Promise<readonly DoctorFinding[]>,
  { now, onFailure }: { readonly now: () => Date; readonly onFailure: (error: unknown) => void },
): DoctorRun {
  let state: DoctorRunState = { status: "never" };

  async function run(): Promise<void> {
    let findings: readonly DoctorFinding[] | null = null;
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
