/** SPF and DNSSEC, scanned for real through a DNS server of the test's own. */
import { labTests } from "./laboratory.ts";
import { spfCases } from "./mail-spf.ts";

labTests("SPF and DNSSEC", spfCases);
