/** Texts of other parts of the program, which are English. */
import { untranslated } from "../../report/components/untrusted-text.tsx";

export function EnglishQuote({ children }: { readonly children: string }) {
  return (
    <q lang="en" {...untranslated}>
      {children}
    </q>
  );
}
