import { findErrorCode } from '@vitrine/project';
import { useState } from 'react';
import { useNavigate, useRevalidator } from 'react-router';
import { useClient } from '../../session/use-client.ts';
import { signOut } from '../../session/sign-out.ts';
import { Button } from '../../ui/button.tsx';
import { RelativeTime } from '../../ui/relative-time.tsx';
import { showErrorToast, showToast } from '../../ui/toast.tsx';
import styles from '../../ui/lists/row-list.module.css';
import settingsStyles from './settings.module.css';

/** A session of the user, on any device. */
interface UserSession {
  readonly id: string;
  /** ISO 8601. */
  readonly lastSeen: string;
  /** Browser and operating system: "Firefox on Linux". */
  readonly browser: string;
  /** The client's IP address, or empty. */
  readonly ipAddress: string;
  /** Whether it is the session of this browser. */
  readonly isCurrent: boolean;
}

/** Parses a row of the function `my_sessions`. */
export function parseSession(row: unknown): UserSession {
  if (typeof row !== 'object' || row === null)
    throw new Error('my_sessions returned a row that is not an object');
  const fields: Record<string, unknown> = { ...row };
  return {
    id: String(fields.id),
    lastSeen: String(fields.refreshed_at ?? fields.created_at),
    browser: describeDevice(typeof fields.user_agent === 'string' ? fields.user_agent : ''),
    ipAddress: typeof fields.ip === 'string' ? fields.ip : '',
    isCurrent: fields.current === true,
  };
}

const browsers = [
  /Edg(?=\/)/,
  /OPR(?=\/)/,
  /Firefox(?=\/)/,
  /Chrom(?:e|ium)(?=\/)/,
  /Safari(?=\/)/,
];
const systems = [/Android/, /iPhone|iPad/, /Windows/, /Mac OS X/, /CrOS/, /Linux/];
const displayNames: Readonly<Record<string, string>> = {
  Edg: 'Edge',
  OPR: 'Opera',
  'Mac OS X': 'macOS',
  CrOS: 'ChromeOS',
};

/** "Mozilla/5.0 (X11; Linux x86_64) … Firefox/153.0" → "Firefox on Linux". */
function describeDevice(userAgent: string): string {
  const find = (patterns: readonly RegExp[]) => {
    const name = patterns.map((pattern) => pattern.exec(userAgent)?.[0]).find(Boolean);
    return name && (displayNames[name] ?? name);
  };
  const browser = find(browsers) ?? 'Unknown browser';
  const system = find(systems);
  return system ? `${browser} on ${system}` : browser;
}

export function SessionList({ sessions }: { sessions: readonly UserSession[] }) {
  const getClient = useClient();
  const navigate = useNavigate();
  const { revalidate } = useRevalidator();
  /** The session or scope that is being signed out. */
  const [busyButton, setBusyButton] = useState<string>();

  const run = async (id: string, action: () => Promise<unknown>) => {
    setBusyButton(id);
    await action();
    setBusyButton(undefined);
  };
  const endSession = (session: UserSession) =>
    run(session.id, async () => {
      const { error } = await (await getClient()).rpc('end_session', { session: session.id });
      if (error) return showErrorToast(findErrorCode(error));
      await revalidate();
      return showToast({ title: `Signed out ${session.browser}` });
    });
  const signOutScope = (scope: 'local' | 'others' | 'global') =>
    run(scope, async () => {
      const failure = await signOut(await getClient(), scope);
      if (failure) showErrorToast(failure.code);
      if (scope !== 'others') await navigate('/');
      else await revalidate();
      if (scope === 'others' && !failure) showToast({ title: 'Signed out everywhere else' });
    });

  return (
    <section className={settingsStyles.section} aria-labelledby="sessions-heading">
      <h2 id="sessions-heading" className={settingsStyles.heading}>
        Active sessions
      </h2>
      <ul className={styles.list}>
        {sessions.map((session) => (
          <li key={session.id} className={styles.row}>
            <div className={styles.text}>
              <p className={styles.name}>{session.browser}</p>
              <p className={settingsStyles.note}>
                {session.isCurrent ? 'This device' : <RelativeTime at={session.lastSeen} />}
                {session.ipAddress && ` · ${session.ipAddress}`}
              </p>
            </div>
            {!session.isCurrent && (
              <Button
                size="small"
                busy={busyButton === session.id}
                onClick={() => endSession(session)}
              >
                Sign out
              </Button>
            )}
          </li>
        ))}
      </ul>
      <p className={settingsStyles.note}>Signed-out devices lose access right away.</p>
      <div className={settingsStyles.buttons}>
        <Button size="small" busy={busyButton === 'local'} onClick={() => signOutScope('local')}>
          Sign out here
        </Button>
        <Button size="small" busy={busyButton === 'others'} onClick={() => signOutScope('others')}>
          Sign out everywhere else
        </Button>
        <Button size="small" busy={busyButton === 'global'} onClick={() => signOutScope('global')}>
          Sign out everywhere
        </Button>
      </div>
    </section>
  );
}
