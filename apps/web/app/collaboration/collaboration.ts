import { ValueStore } from '../workspace/value-store.ts';
import type { PresentUser } from './user-profiles.ts';

/**
 * State of this page's connection to the project's Realtime channel.
 *
 * - `disconnected`: not connected: a draft, or a project the user isn't a member of
 * - `connecting`: loading the code that connects, or joining the channel for the first time
 * - `connected`: receives each save and the presence list
 * - `reconnecting`: the connection was lost, or its code couldn't be loaded, and is being retried
 */
type CollaborationState = 'disconnected' | 'connecting' | 'connected' | 'reconnecting';

/** Connection state and presence list for the page to render. `connectToProject` updates it. */
export class Collaboration {
  readonly state = new ValueStore<CollaborationState>('disconnected');
  /** Users who have the project open, in any tab or device. */
  readonly presentUsers = new ValueStore<readonly PresentUser[]>([]);
}
