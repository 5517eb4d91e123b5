/**
 * Permissions that a project gets only once the user allows them: features of the Permissions Policy, in the order
 * of their list. The browser still asks by its own rules. docs/security.md has the reasons (SB-31).
 */
export const permissions = [
  { name: 'camera', noun: 'camera', use: 'use the camera' },
  { name: 'microphone', noun: 'microphone', use: 'use the microphone' },
  { name: 'geolocation', noun: 'location', use: 'see the location' },
  { name: 'clipboard-read', noun: 'clipboard', use: 'read the clipboard' },
  { name: 'display-capture', noun: 'screen capture', use: 'capture the screen' },
  { name: 'midi', noun: 'MIDI devices', use: 'use MIDI devices' },
  { name: 'screen-wake-lock', noun: 'wake lock', use: 'keep the screen on' },
] as const;

/** A feature's name in the Permissions Policy. */
export type PermissionName = (typeof permissions)[number]['name'];

/** Finds a permission by a name from outside; undefined for any other value. */
export function findPermission(name: unknown): (typeof permissions)[number] | undefined {
  return permissions.find((permission) => permission.name === name);
}
