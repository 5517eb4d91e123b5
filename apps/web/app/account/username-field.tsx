import { errorCatalog, validateUsername, type ErrorCode } from '@vitrine/project';
import { useEffect, useState } from 'react';
import { useClient } from '../session/use-client.ts';
import { TextField } from '../ui/text-field.tsx';
import styles from './username-field.module.css';

/** Debounce of the availability check while typing. */
const debounceMs = 250;

/** Username field that shows while typing whether the name is available. */
export function UsernameField(props: { error?: string | undefined; defaultValue?: string }) {
  const { error, defaultValue = '' } = props;
  const [name, setName] = useState(defaultValue);
  const availability = useAvailability(name);
  // The error of the last submission is shown until the name changes.
  const [lastSubmission, setLastSubmission] = useState<{
    error: string | undefined;
    name: string;
  }>();
  if (error !== lastSubmission?.error) setLastSubmission({ error, name });
  const submitError = lastSubmission?.name === name ? error : undefined;
  const isAvailable = availability === 'available';
  return (
    <TextField
      label="Username"
      name="username"
      autoComplete="off"
      autoCapitalize="none"
      spellCheck={false}
      value={name}
      onChange={(event) => setName(event.target.value.toLowerCase())}
      error={
        submitError ??
        (isAvailable ? undefined : availability && errorCatalog[availability].message)
      }
      description={
        isAvailable ? (
          <span className={styles.available}>Available</span>
        ) : (
          'Your profile URL: /@username. This can’t be changed later.'
        )
      }
    />
  );
}

type Availability = 'available' | ErrorCode;

/** Undefined until the name has been checked. */
function useAvailability(name: string): Availability | undefined {
  const getClient = useClient();
  const [checked, setChecked] = useState<{ name: string; availability: Availability }>();
  useEffect(() => {
    // Shorter names are probably still being typed.
    if (name.length < 3) return;
    const controller = new AbortController();
    const timer = setTimeout(() => void check(controller.signal), debounceMs);
    const check = async (signal: AbortSignal) => {
      const invalid = validateUsername(name);
      if (invalid) return setChecked({ name, availability: invalid });
      const supabase = await getClient();
      const { data, error } = await supabase
        .rpc('username_available', { name })
        .abortSignal(signal);
      // Best effort: if the check fails, sign-up reports the error.
      if (!error && !signal.aborted)
        setChecked({ name, availability: data ? 'available' : 'username_taken' });
    };
    return () => {
      clearTimeout(timer);
      controller.abort();
    };
  }, [getClient, name]);
  return checked?.name === name ? checked.availability : undefined;
}
