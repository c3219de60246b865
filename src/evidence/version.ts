/** Version of the format of evidence that crosses machines. */

/** A reading or field that older programs would misread raises it. The head takes this version and the one before. */
export const evidenceVersion = 1;
