// Files that a person opens: chosen with the button, or dropped anywhere on the page.

import { place } from './place.js';

/** Listens for both. @param {(file: File) => void} onFile */
export function listenForFiles(onFile) {
  const open = (file) => {
    if (file !== undefined) onFile(file);
  };
  place('open-file').addEventListener('change', (event) => {
    open(event.target.files[0]);
    // The same file may be chosen again.
    event.target.value = '';
  });
  document.addEventListener('dragover', (event) => event.preventDefault());
  document.addEventListener('drop', (event) => {
    event.preventDefault();
    open(event.dataTransfer.files[0]);
  });
}
