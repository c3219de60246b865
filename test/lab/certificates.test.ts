/** Certificates of every kind, served and scanned for real. */
import { certificateCases } from "./certificates.ts";
import { labTests } from "./laboratory.ts";

labTests("certificates", certificateCases);
