/** The head's own key, for commands beside a server. */
import { CliError, exitCodes } from "../exit.ts";
import { systemReason } from "../output-file.ts";

export interface HeadKey {
  /** Public nkey. */
  readonly id: string;
  /** With the seed. */
  readonly file: string;
}

/** Made at first use. @throws CliError if the file with the seed cannot be used. */
export async function headOf(dataDir: string): Promise<HeadKey> {
  const { headIdentity, headSeedFile, SeedFileError } = await import("../../fleet/identity.ts");
  const file = headSeedFile(dataDir);
  try {
    return { id: headIdentity(dataDir).id, file };
  } catch (error) {
    if (error instanceof SeedFileError) throw new CliError(exitCodes.usage, error.message);
    throw new CliError(exitCodes.dataDir, `${file} cannot be used: ${systemReason(error)}`);
  }
}
