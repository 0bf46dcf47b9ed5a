const months = "January February March April May June July August September October November December".split(" ");
const replacements = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;", "'": "&#39;" };

function escaped(text) {
  return text.replace(/[&<>"']/g, (character) => replacements[character]);
}

function day(iso) {
  const date = new Date(iso);
  return `${date.getUTCDate()} ${months[date.getUTCMonth()]} ${date.getUTCFullYear()}`;
}

function document(title, body) {
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${title} | Harbour House</title>
<link rel="stylesheet" href="/style.css">
</head>
<body>
${body}
</body>
</html>
`;
}

function entryElement({ id, name, message, createdAt }) {
  return `<li data-entry="${escaped(id)}" data-guest="${escaped(name)}">
<blockquote>${escaped(message)}</blockquote>
<footer>${escaped(name)}, <time datetime="${escaped(createdAt)}">${day(createdAt)}</time></footer>
</li>`;
}

export function bookPage({ entries, page, pages }) {
  const newer = page > 1 ? `<a rel="prev" href="/?page=${page - 1}">Newer entries</a>` : "";
  const older = page < pages ? `<a rel="next" href="/?page=${page + 1}">Older entries</a>` : "";
  return document(
    "Guest book",
    `<header>
<img src="/img/house.svg" alt="Harbour House">
<h1>Guest book</h1>
</header>
<section aria-label="Sign">
<form novalidate>
<label>Your name <input name="name" aria-describedby="wrong-name"></label>
<span id="wrong-name" hidden></span>
<label>Your message <textarea name="message" aria-describedby="wrong-message"></textarea></label>
<span id="wrong-message" hidden></span>
<input type="submit" value="Sign the book">
</form>
<output></output>
</section>
<section id="book">
<ol aria-label="Entries" reversed>
${entries.map(entryElement).join("\n")}
</ol>
<p>${newer} <span>Page <b>${page}</b> of <b>${pages}</b></span> ${older}</p>
<p><a href="/guest-book.csv">Download as CSV</a></p>
</section>
<script src="/app.js"></script>`,
  );
}

export function notFoundPage() {
  return document(
    "Page not found",
    `<h2>Page not found</h2>
<p>Sorry. <a href="/">Back to the guest book</a></p>`,
  );
}
