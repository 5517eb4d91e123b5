import { Source } from '../workspace/source.ts';
import type { PersonHere } from './people.ts';

/**
 * How this page stands to others who work on the project.
 *
 * - `alone`: it follows nobody: a draft, a project that others work on, or not begun yet
 * - `connecting`: on the way into the channel for the first time
 * - `live`: hears of each save, and of who is here
 * - `reconnecting`: the connection was lost, and is tried again
 */
export type CollaborationState = 'alone' | 'connecting' | 'live' | 'reconnecting';

/** What the page shows of it; `followProject` keeps it. */
export class Collaboration {
  readonly state = new Source<CollaborationState>('alone');
  readonly people = new Source<readonly PersonHere[]>([]);
}
