// A part of a page ([data-part]) carries data-live as long as it can still change. Only parts count:
// other elements may have attributes of their own about the live connection.
export const anyPartIsLive = () => document.querySelector("[data-part][data-live]") !== null;
