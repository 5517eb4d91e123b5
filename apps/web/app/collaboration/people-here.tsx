import { useSyncExternalStore } from 'react';
import { usePictureAddress } from '../session/viewer.ts';
import { Avatar } from '../ui/avatar.tsx';
import { useSource } from '../workspace/source.ts';
import type { Workspace } from '../workspace/workspace.ts';
import type { PersonHere } from './people.ts';
import styles from './people-here.module.css';
import { useCollaboration } from './use-collaboration.ts';

/** Avatars that fit in the bar. Further users are shown as a count. */
const shownPeople = 4;

/**
 * Avatars of everyone who has the project open, once that is more than this tab, and the connection
 * state.
 */
export function PeopleHere({ workspace }: { workspace: Workspace }) {
  const collaboration = useCollaboration(workspace);
  const state = useSource(collaboration.state);
  const people = useSource(collaboration.people);
  const isOnline = useOnline();
  const isSaidAlready = useSource(workspace.saving.state).status === 'offline';
  if (state === 'alone') return null;
  const isLost = state === 'reconnecting' || !isOnline;
  const words = !isLost || isSaidAlready ? '' : isOnline ? 'Reconnecting…' : 'Offline';
  return (
    <div className={styles.place}>
      <output aria-label="Connection" className={styles.connection}>
        {words}
      </output>
      {!isLost && <People people={people} me={workspace.person?.id ?? null} />}
    </div>
  );
}

function People({ people, me }: { people: readonly PersonHere[]; me: string | null }) {
  const places = people.reduce((sum, each) => sum + each.places, 0);
  if (places < 2) return null;
  const rest = people.slice(shownPeople).map(({ name }) => name);
  return (
    <ul aria-label="People here" className={styles.people}>
      {people.slice(0, shownPeople).map((person) => (
        <li key={person.id} title={describe(person, me)} className={styles.person}>
          <Picture of={person} />
          <span className={styles.name}>{describe(person, me)}</span>
        </li>
      ))}
      {rest.length > 0 && (
        <li title={rest.join(', ')} className={styles.rest}>
          <span aria-hidden>+{rest.length}</span>
          <span className={styles.name}>{rest.join(', ')}</span>
        </li>
      )}
    </ul>
  );
}

function Picture({ of: person }: { of: PersonHere }) {
  return <Avatar name={person.name} picture={usePictureAddress(person)} />;
}

/** Ada with two tabs, seen by herself → "Ada (you), in 2 tabs". */
function describe({ id, name, places }: PersonHere, me: string | null): string {
  const who = id === me ? `${name} (you)` : name;
  return places > 1 ? `${who}, in ${places} tabs` : who;
}

function useOnline(): boolean {
  return useSyncExternalStore(
    (changed) => {
      addEventListener('online', changed);
      addEventListener('offline', changed);
      return () => {
        removeEventListener('online', changed);
        removeEventListener('offline', changed);
      };
    },
    () => navigator.onLine,
    () => true,
  );
}
