import { catalogue, findUsernameProblem, type ErrorCode } from '@vitrine/project';
import { useEffect, useState } from 'react';
import { useClient } from '../session/use-client.ts';
import { TextField } from '../ui/text-field.tsx';
import styles from './username-field.module.css';

/** How long typing has to rest before the database is asked. */
const restMs = 250;

/** A username that says, while it is typed, whether it is free. */
export function UsernameField(props: { error?: string | undefined; proposed?: string }) {
  const { error, proposed = '' } = props;
  const [name, setName] = useState(proposed);
  const answer = useAvailability(name);
  // What the last attempt was refused for stands until the name is another one.
  const [refused, setRefused] = useState<{ error: string | undefined; name: string }>();
  if (error !== refused?.error) setRefused({ error, name });
  const standing = refused?.name === name ? error : undefined;
  return (
    <TextField
      label="Username"
      name="username"
      autoComplete="off"
      autoCapitalize="none"
      spellCheck={false}
      value={name}
      onChange={(event) => setName(event.target.value.toLowerCase())}
      error={standing ?? (answer === 'free' ? undefined : answer && catalogue[answer].sentence)}
      description={
        answer === 'free' ? (
          <span className={styles.free}>Available</span>
        ) : (
          'Your profile URL: /@username. This can’t be changed later.'
        )
      }
    />
  );
}

/** Whether the name could be taken; undefined while nobody knows. */
function useAvailability(name: string): 'free' | ErrorCode | undefined {
  const client = useClient();
  const [known, setKnown] = useState<{ name: string; answer: 'free' | ErrorCode }>();
  useEffect(() => {
    // Too short to judge while it is being typed.
    if (name.length < 3) return;
    const latest = new AbortController();
    const timer = setTimeout(() => void ask(latest.signal), restMs);
    const ask = async (signal: AbortSignal) => {
      const problem = findUsernameProblem(name);
      if (problem) return setKnown({ name, answer: problem });
      const supabase = await client();
      const { data, error } = await supabase
        .rpc('username_available', { name })
        .abortSignal(signal);
      // Only a help: when it cannot be asked, sign-up itself will tell.
      if (!error && !signal.aborted) setKnown({ name, answer: data ? 'free' : 'username_taken' });
    };
    return () => {
      clearTimeout(timer);
      latest.abort();
    };
  }, [client, name]);
  return known?.name === name ? known.answer : undefined;
}
