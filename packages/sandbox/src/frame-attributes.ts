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

/** Attributes of a frame, by default with a project's permissions; `origin` is `null` for the srcdoc transport. */
export function frameAttributes(
  title: string,
  origin: string,
  { sandbox, allow } = projectPermissions,
): Record<string, string> {
  return {
    title,
    referrerpolicy: 'no-referrer',
    sandbox: origin === 'null' ? sandbox : `${sandbox} allow-same-origin`,
    allow,
  };
}

export const frameStyle = 'grid-area: 1 / 1; width: 100%; height: 100%; border: 0';
