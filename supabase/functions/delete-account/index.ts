/*
 * Deletes accounts. For a recently authenticated user: records the request, confirms it by mail and
 * ends all sessions. With the secret key: deletes the accounts that are due; the backend's operator
 * calls that periodically.
 */
import { Refusal, answerPost } from '../_shared/answer.ts';
import { asPerson, asService, isServiceKey } from '../_shared/backend.ts';
import { findPerson, isProvedLately, type Person } from '../_shared/person.ts';
import { confirmDeletion } from './mail.ts';
import { removeDue } from './remove-due.ts';

Deno.serve((request) =>
  answerPost(request, async (bearer) => {
    if (await isServiceKey(bearer)) return Response.json(await removeDue());
    const person = await findPerson(bearer);
    if (!isProvedLately(bearer, person)) throw new Refusal(403, 'proof_needed');
    const dueAt = await noteDeletion(person);
    const ended = await asPerson(bearer).ask('/auth/v1/logout?scope=global', { method: 'POST' });
    if (!ended.ok) throw new Error(`couldn’t end the sessions: ${ended.status}`);
    return Response.json({ due_at: dueAt });
  }),
);

/**
 * Records the request and returns its due date. A repeated request keeps the first date and sends
 * no mail.
 */
async function noteDeletion(person: Person): Promise<string> {
  const service = asService();
  const made = readDue(
    await service.read('/rest/v1/deletions?on_conflict=person&select=due_at', {
      method: 'POST',
      body: { person: person.id },
      prefer: 'resolution=ignore-duplicates,return=representation',
    }),
  );
  const ofPerson = `/rest/v1/deletions?person=eq.${person.id}`;
  if (made === undefined) {
    const earlier = readDue(await service.read(`${ofPerson}&select=due_at`));
    if (earlier === undefined) throw new Refusal(401, 'session_expired');
    return earlier;
  }
  try {
    // Anonymous accounts have no email.
    if (person.email !== '') await confirmDeletion(person.email, made);
  } catch (error) {
    console.error(error instanceof Error ? error.message : error);
    const undone = await service.ask(ofPerson, { method: 'DELETE' });
    if (!undone.ok)
      console.error(`couldn’t undo a deletion whose email wasn’t sent: ${undone.status}`);
    throw new Refusal(503, 'mail_not_sent');
  }
  return made;
}

function readDue(rows: unknown): string | undefined {
  const [row]: unknown[] = Array.isArray(rows) ? rows : [];
  if (typeof row !== 'object' || row === null || !('due_at' in row)) return undefined;
  return String(row.due_at);
}
