/* Exports all data of the user as a zip, which is streamed while it is created. */
import { downloadZip } from 'client-zip';
import { answerPost } from '../_shared/answer.ts';
import { findPerson } from '../_shared/person.ts';
import { listEntries } from './entries.ts';

Deno.serve((request) =>
  answerPost(request, async (token) => {
    const person = await findPerson(token);
    const archive = downloadZip(listEntries(token, person));
    return new Response(archive.body, {
      headers: {
        // supabase-js only returns bytes for this type; it reads others as text.
        'content-type': 'application/octet-stream',
        'content-disposition': 'attachment; filename="vitrine-data.zip"',
        'cache-control': 'no-store',
      },
    });
  }),
);
