import type { PermissionName } from './permissions.ts';

/** Permissions of a frame's documents: values of `sandbox` and `allow`. */
export interface FramePermissions {
  readonly sandbox: string;
  readonly allow: string;
}

/** No `allow-top-navigation` of any kind, and no popups that escape the sandbox. SB-06 */
const projectPermissions: FramePermissions = {
  sandbox: 'allow-scripts allow-forms allow-modals allow-popups allow-downloads allow-pointer-lock',
  allow: 'fullscreen; autoplay; gamepad; accelerometer; gyroscope; clipboard-write',
};

/** No permissions that the user has allowed. */
export const nothingAllowed: ReadonlySet<PermissionName> = new Set();

/**
 * Attributes of a frame, by default with a project's permissions, and with those that the user has allowed. `origin`
 * is `null` for the srcdoc transport, whose documents can't get any: an opaque origin matches no allowlist.
 */
export function frameAttributes(
  title: string,
  origin: string,
  { sandbox, allow } = projectPermissions,
  allowed = nothingAllowed,
): Record<string, string> {
  return {
    title,
    referrerpolicy: 'no-referrer',
    sandbox: origin === 'null' ? sandbox : `${sandbox} allow-same-origin`,
    // Without an allowlist, a feature is for the origin of the frame's URL alone, wherever its page navigates. SB-31
    allow: origin === 'null' ? allow : [allow, ...allowed].join('; '),
  };
}

export const frameStyle = 'grid-area: 1 / 1; width: 100%; height: 100%; border: 0';
