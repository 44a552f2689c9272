// Files that a person opens: chosen with the button, or dropped anywhere on the page.

const place = (id) => document.getElementById(id);

// The largest result that a server takes has 16 MiB.
const LARGEST = 64 * 1024 * 1024;

/** Listens for both. @param {(name: string, text: string) => void} onFile */
export function listenForFiles(onFile) {
  const open = async (file) => {
    if (file !== undefined && file.size <= LARGEST) onFile(file.name, await file.text());
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
