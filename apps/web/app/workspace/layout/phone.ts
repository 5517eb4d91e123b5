/** True on screens with room for one pane only. The stylesheets use the same breakpoint. */
export function isPhone(): boolean {
  return matchMedia('(max-width: 720px)').matches;
}
