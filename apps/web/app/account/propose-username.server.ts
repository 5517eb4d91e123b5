import { findUsernameProblem } from '@vitrine/project';
import type { RequestContext } from '../request-context.ts';

/**
 * A username that is free now, made of the e-mail's first part: "Ann.Lee@example.org" → "ann-lee",
 * or "ann-lee-2" where that is taken. Empty where none of the first few is free.
 */
export async function proposeUsername({ supabase }: RequestContext, email: string) {
  const words = email
    .slice(0, email.indexOf('@'))
    .toLowerCase()
    .match(/[a-z0-9]+/g);
  const stem = (words ?? ['maker']).join('-').slice(0, 26).replace(/-$/, '');
  for (const name of [stem, ...[2, 3, 4, 5].map((number) => `${stem}-${number}`)]) {
    if (findUsernameProblem(name)) continue;
    const { data } = await supabase.rpc('username_available', { name });
    if (data === true) return name;
  }
  return '';
}
