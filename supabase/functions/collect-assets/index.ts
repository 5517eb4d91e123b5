/*
 * Deletes assets to which nothing has referred for a week, and old posters. Takes the secret key; a hosted project's
 * operator calls it every hour. The embedded server does the same by itself.
 */
import { Refusal, answerPost } from '../_shared/answer.ts';
import { asService, isServiceKey } from '../_shared/backend.ts';
import { collectAssets, collectPosters } from '../_shared/collect-assets.ts';

Deno.serve((request) =>
  answerPost(request, async (bearer) => {
    if (!(await isServiceKey(bearer))) throw new Refusal(403, 'not_allowed');
    const service = asService();
    const assets = await collectAssets(service);
    return Response.json({ deleted: assets + (await collectPosters(service)) });
  }),
);
