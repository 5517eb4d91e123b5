import { ValueStore } from '../workspace/value-store.ts';
import type { PresentUser } from './user-profiles.ts';

/**
 * State of this page's connection to the project's Realtime channel.
 *
 * - `disconnected`: not connected: a draft, a project the user isn't a member of, or not started yet
 * - `connecting`: joining the channel for the first time
 * - `connected`: receives each save and the presence list
 * - `reconnecting`: the connection was lost and is being retried
 */
type CollaborationState = 'disconnected' | 'connecting' | 'connected' | 'reconnecting';

/** Connection state and presence list for the page to render. `connectToProject` updates it. */
export class Collaboration {
  readonly state = new ValueStore<CollaborationState>('disconnected');
  /** Users who have the project open, in any tab or device. */
  readonly presentUsers = new ValueStore<readonly PresentUser[]>([]);
}
