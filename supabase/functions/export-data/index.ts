/* Exports all data of the user as a zip, which is streamed while it is created. */
import { makeZip } from 'client-zip';
import { answerPost } from '../_shared/answer.ts';
import { findPerson } from '../_shared/person.ts';
import { createPacedStream, createShares } from '../_shared/shares.ts';
import { listEntries } from './entries.ts';

/** Exports at the same time, of all and of an account. Each has one file in memory. */
const shares = createShares({ slots: 8, slotsPerClient: 2, maxWaitMs: 3_000 });
/** The slowest that an export may be read. */
const pace = { minBytesPerSecond: 16 * 1024, windowMs: 10_000 };

Deno.serve((request) =>
  answerPost(request, async (token) => {
    const person = await findPerson(token);
    const release = await shares.acquire(person.id);
    const archive = createPacedStream(makeZip(listEntries(token, person)), {
      ...pace,
      onEnd: release,
    });
    return new Response(archive, {
      headers: {
        // supabase-js only returns bytes for this type; it reads others as text.
        'content-type': 'application/octet-stream',
        'content-disposition': 'attachment; filename="vitrine-data.zip"',
        'cache-control': 'no-store',
      },
    });
  }),
);
