import { Source } from '../workspace/source.ts';
import type { PersonHere } from './people.ts';

/**
 * Connection of this page to the other members of a project.
 *
 * - `alone`: not connected: a draft, a project the user isn't a member of, or not started yet
 * - `connecting`: joining the channel for the first time
 * - `live`: receives each save and the presence list
 * - `reconnecting`: the connection was lost and is being retried
 */
export type CollaborationState = 'alone' | 'connecting' | 'live' | 'reconnecting';

/** Collaboration state for the page to render. `followProject` updates it. */
export class Collaboration {
  readonly state = new Source<CollaborationState>('alone');
  readonly people = new Source<readonly PersonHere[]>([]);
}
