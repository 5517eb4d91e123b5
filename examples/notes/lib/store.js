const key = 'note-board';

// Returns the notes kept in this browser, or undefined when there are none.
export function loadNotes() {
  try {
    return JSON.parse(localStorage.getItem(key)) ?? undefined;
  } catch {
    return undefined; // storage is refused here, or holds something else
  }
}

export function keepNotes(notes) {
  try {
    localStorage.setItem(key, JSON.stringify(notes));
  } catch {
    // Without storage the board still works until the page is closed.
  }
}
