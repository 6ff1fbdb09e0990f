'use strict';
// Sorting and filtering of tables, copying, keys; and pages that show a campaign while it runs.
(() => {
  const all = (selector, root = document) => Array.from(root.querySelectorAll(selector));
  const value = cell => cell ? (cell.dataset.v ?? cell.textContent.trim()) : '';

  // The column and direction by which each table is sorted, kept when a live page is replaced.
  const sorted = {};

  // A long table shows its first rows until all are asked for.
  const FIRST = 50;
  const whole = new Set();

  function shorten(table) {
    const rows = all('tbody tr', table).filter(row => !row.hidden);
    const isWhole = whole.has(table.id) || rows.length <= FIRST;
    rows.forEach((row, i) => row.classList.toggle('later', !isWhole && i >= FIRST));
    const box = table.parentElement;
    if (box.nextElementSibling?.classList.contains('more')) box.nextElementSibling.remove();
    if (isWhole) return;
    const button = document.createElement('button');
    Object.assign(button, { type: 'button', className: 'more', textContent: `show all ${rows.length} rows` });
    button.dataset.table = table.id;
    box.after(button);
  }

  function sort(table, column, down) {
    const rows = all('tbody tr', table);
    const keys = new Map(rows.map(row => [row, value(row.cells[column])]));
    const numbers = [...keys.values()].every(key => key === '' || Number.isFinite(Number(key)));
    rows.sort((a, b) => {
      const [x, y] = [keys.get(a), keys.get(b)];
      if ((x === '') !== (y === '')) return x === '' ? 1 : -1;
      const order = numbers ? Number(x) - Number(y) : x.localeCompare(y, 'en', { numeric: true });
      return down ? -order : order;
    });
    table.tBodies[0].append(...rows);
    all('th', table).forEach((th, i) => {
      if (i === column) th.setAttribute('aria-sort', down ? 'descending' : 'ascending');
      else th.removeAttribute('aria-sort');
    });
    sorted[table.id] = [column, down];
    shorten(table);
  }

  function filter(form) {
    const table = document.getElementById(form.dataset.table);
    const words = form.elements.q.value.toLowerCase().split(/\s+/).filter(Boolean);
    const choices = all('select', form).filter(s => s.value).map(s => [Number(s.dataset.column), s.value]);
    const rows = all('tbody tr', table);
    let shown = 0;
    for (const row of rows) {
      const text = row.textContent.toLowerCase();
      const fits = words.every(w => text.includes(w)) && choices.every(([c, v]) => value(row.cells[c]) === v);
      row.hidden = !fits;
      if (fits) shown += 1;
    }
    form.querySelector('output').textContent = `${shown} of ${rows.length}`;
    shorten(table);
  }

  async function copy(button) {
    const text = button.parentElement.querySelector('pre').textContent;
    try {
      await navigator.clipboard.writeText(text);
    } catch {
      // Pages from a file may not use the clipboard: select the text and copy that.
      const range = document.createRange();
      range.selectNodeContents(button.parentElement.querySelector('pre'));
      const selection = getSelection();
      selection.removeAllRanges();
      selection.addRange(range);
      document.execCommand('copy');
    }
    button.textContent = 'copied';
    setTimeout(() => { button.textContent = 'copy'; }, 1200);
  }

  document.addEventListener('click', event => {
    const button = event.target.closest('button');
    if (!button) return;
    if (button.classList.contains('copy')) copy(button);
    if (button.classList.contains('more')) {
      whole.add(button.dataset.table);
      shorten(document.getElementById(button.dataset.table));
    }
    const th = button.closest('table.sortable th');
    if (th) sort(th.closest('table'), th.cellIndex, th.getAttribute('aria-sort') === 'ascending');
  });
  document.addEventListener('input', event => {
    const form = event.target.closest('form.filter');
    if (form) filter(form);
  });
  document.addEventListener('submit', event => event.preventDefault());

  document.addEventListener('keydown', event => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    if (event.target.closest('input, select, textarea')) {
      if (event.key === 'Escape') event.target.blur();
      return;
    }
    const link = { n: 'a[rel=next]', p: 'a[rel=prev]', u: 'a[rel=up]' }[event.key];
    if (link) document.querySelector(link)?.click();
    if (event.key === '/') {
      const input = document.querySelector('form.filter input');
      if (input) {
        event.preventDefault();
        input.focus();
      }
    }
  });

  // A browser may bring back the words of a filter when it comes back to a page.
  addEventListener('pageshow', () => {
    all('form.filter').forEach(filter);
    all('table.sortable').forEach(shorten);
  });

  // `smelt serve` tags each page; when the tag is another one, the content is replaced and the view stays.
  if (location.protocol.startsWith('http')) {
    let tag = null;
    const refresh = async () => {
      try {
        const answer = await fetch(location.pathname, { cache: 'no-store' });
        const now = answer.headers.get('ETag');
        if (!answer.ok || !now) return;
        if (tag !== null && tag !== now) {
          const fresh = new DOMParser().parseFromString(await answer.text(), 'text/html');
          const kept = all('form.filter').map(f => all('input, select', f).map(e => e.value));
          const open = all('details').map(d => d.open);
          if (document.activeElement?.closest('form.filter')) return;
          document.querySelector('main').replaceChildren(...fresh.querySelector('main').childNodes);
          document.title = fresh.title;
          all('form.filter').forEach((f, i) => {
            all('input, select', f).forEach((e, j) => { e.value = kept[i]?.[j] ?? ''; });
            filter(f);
          });
          all('details').forEach((d, i) => { if (open[i]) d.open = true; });
          all('table.sortable').forEach(shorten);
          for (const [id, [column, down]] of Object.entries(sorted)) {
            const table = document.getElementById(id);
            if (table) sort(table, column, down);
          }
        }
        tag = now;
      } catch {
        // The server has ended; the page stays as it is.
      }
    };
    setInterval(refresh, 3000);
    refresh();
  }
})();
