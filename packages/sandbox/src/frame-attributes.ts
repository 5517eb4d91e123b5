/** What a frame's documents may do, in the words of `sandbox` and `allow`. */
export interface FramePowers {
  readonly sandbox: string;
  readonly allow: string;
}

/** No `allow-top-navigation` in any form, no popup that sheds the sandbox. SB-06 */
const projectPowers: FramePowers = {
  sandbox: 'allow-scripts allow-forms allow-modals allow-popups allow-downloads allow-pointer-lock',
  allow: 'fullscreen; autoplay; gamepad; accelerometer; gyroscope; clipboard-write',
};

/** Of a frame that a project runs in, unless it has other powers; `origin` is `null` on the portable path. */
export function frameAttributes(
  title: string,
  origin: string,
  { sandbox, allow } = projectPowers,
): Record<string, string> {
  return {
    title,
    referrerpolicy: 'no-referrer',
    sandbox: origin === 'null' ? sandbox : `${sandbox} allow-same-origin`,
    allow,
  };
}

export const frameStyle = 'grid-area: 1 / 1; width: 100%; height: 100%; border: 0';
