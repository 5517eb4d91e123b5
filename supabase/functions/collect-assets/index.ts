/*
 * Deletes assets to which nothing has referred for a week. Takes the secret key; a hosted project's
 * operator calls it every hour. The embedded server does the same by itself.
 */
import { Refusal, answerPost } from '../_shared/answer.ts';
import { asService, isServiceKey } from '../_shared/backend.ts';
import { collectAssets } from '../_shared/collect-assets.ts';

Deno.serve((request) =>
  answerPost(request, async (bearer) => {
    if (!(await isServiceKey(bearer))) throw new Refusal(403, 'not_allowed');
    return Response.json({ deleted: await collectAssets(asService()) });
  }),
);
