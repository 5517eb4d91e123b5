const open = indexedDB.open("a", 1);
open.onupgradeneeded = () => open.result.createObjectStore("s").put("stored", 1);
open.onsuccess = () => {
  open.result.transaction("s").objectStore("s").get(1).onsuccess = ({ target }) => {
    document.querySelector("p").textContent = target.result;
  };
};
