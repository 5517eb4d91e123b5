import { ValueStore } from '../workspace/value-store.ts';
import type { PresentUser } from './user-profiles.ts';

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
  readonly state = new ValueStore<CollaborationState>('alone');
  readonly users = new ValueStore<readonly PresentUser[]>([]);
}
