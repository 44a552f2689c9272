// Files that a person opens: chosen with the button, or dropped anywhere on the page. What is dropped and is neither a result nor a job, is
// to be measured.

import { place } from './place.js';

/**
 * Listens for both.
 *
 * @param {(file: File) => void} onFile a result or a job
 * @param {(files: File[]) => void} onOthers
 * @param {(name: string) => void} onFolder a folder, which cannot be read as a file
 */
export function listenForFiles(onFile, onOthers, onFolder) {
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
    const files = [...event.dataTransfer.files];
    const folder = [...event.dataTransfer.items].map((item) => item.webkitGetAsEntry?.()).find((entry) => entry?.isDirectory);
    if (folder) onFolder(folder.name);
    else if (files.length === 1 && /\.(json|toml)$/i.test(files[0].name)) open(files[0]);
    else if (files.length > 0) onOthers(files);
  });
}
