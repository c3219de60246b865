/** Runs the laboratory cases for certificates. */
import { certificateCases } from "./certificates.ts";
import { labTests } from "./laboratory.ts";

labTests("certificates", certificateCases);
