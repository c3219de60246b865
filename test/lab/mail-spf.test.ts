/** Runs the laboratory cases for SPF and DNSSEC. */
import { labTests } from "./laboratory.ts";
import { mailSpfCases } from "./mail-spf.ts";

labTests("SPF and DNSSEC", mailSpfCases);
