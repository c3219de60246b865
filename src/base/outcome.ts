/** Outcome of a use case: what was done, or the code of a refusal. Each interface puts the codes into words. */
export type Outcome<Done, Code extends string> = { readonly done: Done } | Refused<Code>;

export interface Refused<Code extends string> {
  readonly refused: Code;
}

export function refuse<Code extends string>(code: Code): Refused<Code> {
  return { refused: code };
}
