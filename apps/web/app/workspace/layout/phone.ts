/**
 * True on screens with room for one pane only: narrow ones, and phones turned sideways. The
 * stylesheets use the same breakpoints.
 */
export function isPhone(): boolean {
  return matchMedia(
    '(max-width: 720px), (max-width: 960px) and (max-height: 480px) and (pointer: coarse)',
  ).matches;
}
