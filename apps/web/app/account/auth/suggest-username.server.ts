import { validateUsername } from '@vitrine/project';
import type { RequestContext } from '../../request-context.ts';

/** Stem for an address without letters and digits before its @. */
const defaultStem = 'maker';
/** Leaves room for a number within the maximum length of a username. */
const maxStemLength = 26;

/**
 * Suggests an available username from the local part of an email address: "Ann.Lee@example.org" →
 * "ann-lee", or "ann-lee-2" if that is taken. Empty if none of the first few is available.
 */
export async function suggestUsername({ supabase }: RequestContext, email: string) {
  const parts = email
    .slice(0, email.indexOf('@'))
    .toLowerCase()
    .match(/[a-z0-9]+/g);
  const stem = (parts ?? [defaultStem]).join('-').slice(0, maxStemLength).replace(/-$/, '');
  for (const name of [stem, ...[2, 3, 4, 5].map((number) => `${stem}-${number}`)]) {
    if (validateUsername(name)) continue;
    const { data } = await supabase.rpc('username_available', { name });
    if (data === true) return name;
  }
  return '';
}
