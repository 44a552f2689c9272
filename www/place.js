/** The element of this id. */
export const place = (id) => document.getElementById(id);
