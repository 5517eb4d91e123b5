/* oxlint-disable typescript/no-unsafe-type-assertion -- natives are called with what the page passes */
/**
 * Notices refused permissions: wraps the calls that ask for one, without changing what they return or throw. The host
 * tells whether the refusal is ours or the browser's, because only it knows what the user has allowed.
 */
import { isRecord } from '@vitrine/project';
import { findPermission, type PermissionName } from '../permissions.ts';

/** Permissions that a page was refused, by the error that it got. */
const refusals = new WeakMap<object, PermissionName>();

/** The permission whose refusal a thrown value reports, if it does. */
export function findRefusal(thrown: unknown): PermissionName | undefined {
  return typeof thrown === 'object' && thrown !== null ? refusals.get(thrown) : undefined;
}

/** Calls that ask for permissions and reject without them: global class, method, permissions by its arguments. */
const calls: readonly (readonly [
  owner: string,
  method: string,
  find: (args: readonly unknown[]) => readonly PermissionName[],
])[] = [
  ['MediaDevices', 'getUserMedia', ([constraints]) => findMedia(constraints)],
  ['MediaDevices', 'getDisplayMedia', () => ['display-capture']],
  ['Clipboard', 'read', () => ['clipboard-read']],
  ['Clipboard', 'readText', () => ['clipboard-read']],
  ['Navigator', 'requestMIDIAccess', () => ['midi']],
  ['WakeLock', 'request', () => ['screen-wake-lock']],
];

/** Names of errors that a refused call rejects with. */
const refusedNames: ReadonlySet<string> = new Set(['NotAllowedError', 'SecurityError']);

/**
 * Watches the calls from now on.
 *
 * @param refused Called with each refused permission and the stack of the call.
 */
export function watchPermissions(refused: (name: PermissionName, stack: string) => void): void {
  for (const [owner, method, find] of calls)
    wrap(owner, method, (native, self, args) => {
      const { stack = '' } = new Error();
      const result = Reflect.apply(native, self, args);
      if (!(result instanceof Promise)) return result;
      // Not `then` on the side, which would count as handling the rejection.
      return result.catch((error: unknown) => {
        if (error instanceof DOMException && refusedNames.has(error.name))
          for (const name of find(args)) {
            refusals.set(error, name);
            refused(name, stack);
          }
        throw error;
      });
    });
  for (const method of ['getCurrentPosition', 'watchPosition'])
    wrap('Geolocation', method, (native, self, [done, fail, ...rest]) => {
      const { stack = '' } = new Error();
      const failed = (error: GeolocationPositionError) => {
        if (error.code === error.PERMISSION_DENIED) refused('geolocation', stack);
        if (typeof fail === 'function') Reflect.apply(fail, undefined, [error]);
      };
      // Anything else makes the native function throw.
      const isCallback = fail === undefined || fail === null || typeof fail === 'function';
      return Reflect.apply(native, self, [done, isCallback ? failed : fail, ...rest]);
    });
  // A page that sees that it is denied doesn't ask.
  wrap('Permissions', 'query', (native, self, args) => {
    const { stack = '' } = new Error();
    const result = Reflect.apply(native, self, args);
    if (!(result instanceof Promise)) return result;
    return result.then((status: PermissionStatus) => {
      const asked = isRecord(args[0]) ? findPermission(args[0]['name']) : undefined;
      if (asked && status.state === 'denied') refused(asked.name, stack);
      return status;
    });
  });
}

type Native = (...args: unknown[]) => unknown;

/** Replaces a method of a global class, if the browser has it, and keeps its name. */
function wrap(
  owner: string,
  method: string,
  call: (native: Native, self: unknown, args: unknown[]) => unknown,
): void {
  const { prototype } = (Reflect.get(globalThis, owner) ?? {}) as { prototype?: object };
  const property = prototype && Object.getOwnPropertyDescriptor(prototype, method);
  if (typeof property?.value !== 'function') return;
  const value = new Proxy(property.value as Native, { apply: call });
  Object.defineProperty(prototype, method, { ...property, value });
}

function findMedia(constraints: unknown): readonly PermissionName[] {
  if (!isRecord(constraints)) return [];
  const media = [['video', 'camera'] as const, ['audio', 'microphone'] as const];
  return media.flatMap(([kind, name]) => (constraints[kind] ? [name] : []));
}
