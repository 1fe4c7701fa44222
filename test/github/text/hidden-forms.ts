// Forms of hidden text that reached a model once: the form, and the text.

type Form = readonly [form: string, text: string];

const CODE = '```';
const diagram = (kind: string, line: string): string => `${CODE}mermaid\n${kind}\n${line}\n${CODE}`;

export const HIDDEN_FORMS: readonly Form[] = [
  ['a declaration in lower case', 'a <!x SECRET> b'],
  ['a declaration in lower case at the start', '<!x SECRET>\n\nb'],
  ['a declaration over lines', '<!doctype\nSECRET>\n\nb'],
  ['a footnote that a blank continues', 'a\n\n[^1]: x\n\n \tSECRET'],
  ['a footnote that a tab continues', 'a\n\n[^1]: x\n\n\tSECRET'],
  ['a footnote that a blank and a tab continue', 'a\n\n[^1]:\n \tSECRET'],
  ['an indented line in a block of HTML', '<div>\n    <!-- SECRET -->\n</div>'],
  ['an indented line behind a tag in HTML', '<div>\n\t<b title="SECRET">x</b>\n</div>'],
  ['a link with words in its query and no text', '<a href="https://example.com/?SECRET"></a>b'],
  ['a link with a blank for its text', '[ ](https://example.com/?SECRET) b'],
  ['a link around what nobody sees', '[\u200B](https://example.com/?SECRET) b'],
  ['a link around an image', '[![](a.png)](https://example.com/?SECRET)'],
  ['a place in the page', '[x](#SECRET)'],
  ['an address of another protocol', '[x](data:text/plain,SECRET)'],
  ['a name in a diagram that is never drawn', diagram('graph TD', 'SECRET[x]-->b[y]')],
  ['a class of a diagram', diagram('graph TD', 'a:::SECRET')],
  ['the title of a diagram', diagram('---\ntitle: SECRET\n---\ngraph TD', 'a-->b')],
  ['the participant behind an alias', diagram('sequenceDiagram', 'participant SECRET as x')],
  ['the words of a link in a diagram', diagram('graph TD', 'click a href "https://x/?SECRET"')],
  ['the data of an STL file', `${CODE}stl\nsolid SECRET\nendsolid\n${CODE}`],
  ['the data of a topology', `${CODE}topojson\n{"x":"SECRET"}\n${CODE}`],
  ['a language that nobody knows', `${CODE}SECRET-and-more\nx\n${CODE}`],
  ['a language behind tildes', '~~~js SECRET\nx\n~~~'],
  ['the name of an anchor', '<a name="SECRET"></a>b'],
  ['the summary of a table', '<table summary="SECRET"><tr><td>x</td></tr></table>'],
  ['the abbreviation of a word', '<abbr title="SECRET">x</abbr>'],
  ['the citation of a quotation', '<blockquote cite="https://x/SECRET">x</blockquote>'],
  ['the time of a deletion', '<del datetime="SECRET">x</del>'],
  ['the label of an image by reference', '![SECRET][]\n\n[SECRET]: a.png'],
  ['the track of a film', '<video src="a.mp4"><track label="SECRET"></video>'],
  ['an option of a choice', '<select><option>SECRET</option></select>'],
  ['a text field', '<textarea>SECRET</textarea>'],
  ['the words of an object', '<object>SECRET</object>'],
  ['a frame', '<iframe>SECRET</iframe>'],
  ['an element of mathematics', '<math><mtext>SECRET</mtext></math>'],
  ['a title in a drawing', '<svg><title>SECRET</title></svg>'],
];
