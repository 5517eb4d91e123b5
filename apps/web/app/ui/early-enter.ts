import type { KeyboardEvent } from 'react';

/**
 * Key handler of an autocomplete's field. Enter chooses the first match if it's pressed before the
 * list has highlighted it, which happens a moment after typing.
 *
 * @param match The first match, if there is one.
 */
export function onEarlyEnter<Match>(match: Match | undefined, choose: (match: Match) => void) {
  return ({ key, currentTarget, nativeEvent }: KeyboardEvent<HTMLElement>): void => {
    if (key !== 'Enter' || nativeEvent.isComposing || match === undefined) return;
    // The highlighted option may have left the list.
    const highlighted = currentTarget.getAttribute('aria-activedescendant');
    if (highlighted === null || !document.getElementById(highlighted)) choose(match);
  };
}
