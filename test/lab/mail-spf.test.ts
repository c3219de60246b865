/** Runs the laboratory cases for SPF and DNSSEC. */
import { labTests } from "./laboratory.ts";
import { spfCases } from "./mail-spf.ts";

labTests("SPF and DNSSEC", spfCases);
