import type { Autocomplete } from '@base-ui/react/autocomplete';

type KeyHandler = NonNullable<Autocomplete.Input.Props['onKeyDown']>;

/**
 * Key handler of an autocomplete's field. Enter chooses the first match if it's pressed before the
 * list has highlighted it, which happens a moment after typing.
 *
 * @param match The first match, if there is one.
 */
export function onEarlyEnter<Match>(
  match: Match | undefined,
  choose: (match: Match) => void,
): KeyHandler {
  return (event) => {
    const { key, currentTarget, nativeEvent } = event;
    if (key !== 'Enter' || nativeEvent.isComposing || match === undefined) return;
    // The highlighted option may have left the list.
    const highlighted = currentTarget.getAttribute('aria-activedescendant');
    if (highlighted !== null && document.getElementById(highlighted)) return;
    // The autocomplete would choose the match, too, if its own state is ahead of the attribute.
    event.preventBaseUIHandler();
    choose(match);
  };
}
