/* Everything of the person who asks, as one zip that is made while it is sent. */
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
        // Supabase's client gives bytes for this type alone; any other it reads as text.
        'content-type': 'application/octet-stream',
        'content-disposition': 'attachment; filename="vitrine-data.zip"',
        'cache-control': 'no-store',
      },
    });
  }),
);
