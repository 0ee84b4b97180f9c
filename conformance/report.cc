#include "conformance/report.h"

#include <cstdio>
#include <fstream>

namespace tagflow::conformance {
namespace {

std::string OneLine(std::string text) {
  for (char& c : text) {
    if (c == '\t' || c == '\n' || c == '\r') c = ' ';
  }
  return text;
}

// For text and for attributes in quotes, of XML and HTML. Characters that XML cannot hold become
// '?'.
std::string Escaped(std::string_view text) {
  std::string out;
  for (char c : text) {
    switch (c) {
      case '&':
        out += "&amp;";
        break;
      case '<':
        out += "&lt;";
        break;
      case '>':
        out += "&gt;";
        break;
      case '"':
        out += "&quot;";
        break;
      default:
        out += static_cast<unsigned char>(c) < ' ' && c != '\n' && c != '\t' ? '?' : c;
    }
  }
  return out;
}

std::string Seconds(double seconds) {
  char text[32];
  std::snprintf(text, sizeof(text), "%.3f", seconds);
  return text;
}

std::string WhyText(const CaseResult& result) {
  return result.expected.empty() ? result.why : "expected (" + result.expected + "): " + result.why;
}

std::string JunitCase(const CaseResult& result) {
  std::string xml = "  <testcase classname=\"conformance\" name=\"" + Escaped(result.name) +
                    "\" time=\"" + Seconds(result.seconds) + "\"";
  if (result.verdict == Verdict::kPass) return xml + "/>\n";
  const char* element = !IsBad(result)                     ? "skipped"
                        : result.verdict == Verdict::kFail ? "failure"
                                                           : "error";
  return xml + ">\n    <" + element + " message=\"" + std::string(VerdictName(result.verdict)) +
         ": " + Escaped(WhyText(result)) + "\"/>\n  </testcase>\n";
}

std::string HtmlRow(const CaseResult& result) {
  const std::string verdict(VerdictName(result.verdict));
  const std::string shown = result.expected.empty() ? verdict : verdict + " (expected)";
  return "<tr data-v=\"" + verdict + "\"><td class=\"" + (IsBad(result) ? "bad" : "good") + "\">" +
         shown + "</td><td><b>" + Escaped(result.name) + "</b><div>" + Escaped(result.about) +
         "</div></td><td>" + Escaped(WhyText(result)) + "</td><td>" + Seconds(result.seconds) +
         "</td></tr>\n";
}

constexpr std::string_view kHtmlHead = R"(<!doctype html>
<html lang="en"><head><meta charset="utf-8"><title>Conformance</title><style>
body{font:15px/1.45 system-ui,sans-serif;margin:2em auto;max-width:75em;padding:0 1em;color:#222}
table{border-collapse:collapse;width:100%}
td,th{text-align:left;vertical-align:top;padding:.35em .6em;border-bottom:1px solid #ddd}
td div{color:#666}td:nth-child(3){overflow-wrap:anywhere}
.bad{color:#b00020;font-weight:bold}.good{color:#1b6e3c}
select,input{font:inherit;padding:.2em}input{width:24em}
</style></head><body>
)";

constexpr std::string_view kHtmlControls =
    R"(<p><select id="v"><option value="">every verdict</option>
<option>PASS</option><option>FAIL</option><option>UNSUPPORTED</option><option>CRASH</option>
<option>TIMEOUT</option></select> <input id="t" placeholder="text in name or reason"></p>
<table><thead><tr><th>verdict</th><th>case</th><th>why</th><th>seconds</th></tr></thead><tbody>
)";

constexpr std::string_view kHtmlTail = R"(</tbody></table><script>
const v=document.getElementById('v'),t=document.getElementById('t');
function show(){const s=t.value.toLowerCase();
for(const r of document.querySelectorAll('tbody tr'))
r.hidden=(v.value&&r.dataset.v!==v.value)||!r.textContent.toLowerCase().includes(s);}
v.onchange=t.oninput=show;
</script></body></html>
)";

}  // namespace

Counts Count(const std::vector<CaseResult>& results) {
  Counts counts;
  counts.total = results.size();
  for (const CaseResult& result : results) {
    ++(result.expected.empty() ? counts.by_verdict[static_cast<size_t>(result.verdict)]
                               : counts.expected);
  }
  return counts;
}

std::string Summary(const Counts& counts) {
  constexpr std::string_view kWords[] = {"passed", "failed", "unsupported", "crashed", "timed out"};
  std::string text = std::to_string(counts.total) + (counts.total == 1 ? " case: " : " cases: ") +
                     std::to_string(counts.by_verdict[0]) + " passed";
  for (size_t i = 1; i < 5; ++i) {
    if (counts.by_verdict[i] == 0 && i != 1) continue;
    text += ", " + std::to_string(counts.by_verdict[i]) + " " + std::string(kWords[i]);
  }
  if (counts.expected > 0) text += ", " + std::to_string(counts.expected) + " failed as expected";
  return text;
}

std::string Tsv(const std::vector<CaseResult>& results) {
  std::string text;
  for (const CaseResult& result : results) {
    text += OneLine(result.name) + "\t" + std::string(VerdictName(result.verdict)) + "\t" +
            OneLine(WhyText(result)) + "\n";
  }
  return text;
}

std::string JunitXml(const std::vector<CaseResult>& results, std::string_view suite) {
  size_t failures = 0, errors = 0, skipped = 0;
  double seconds = 0;
  std::string cases;
  for (const CaseResult& result : results) {
    seconds += result.seconds;
    cases += JunitCase(result);
    if (result.verdict == Verdict::kPass) continue;
    ++(!IsBad(result) ? skipped : result.verdict == Verdict::kFail ? failures : errors);
  }
  return "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites>\n <testsuite name=\"" +
         Escaped(suite) + "\" tests=\"" + std::to_string(results.size()) + "\" failures=\"" +
         std::to_string(failures) + "\" errors=\"" + std::to_string(errors) + "\" skipped=\"" +
         std::to_string(skipped) + "\" time=\"" + Seconds(seconds) + "\">\n" + cases +
         " </testsuite>\n</testsuites>\n";
}

std::string Html(const std::vector<CaseResult>& results, std::string_view engine) {
  std::string html(kHtmlHead);
  html += "<h1>Conformance of " + Escaped(engine) + "</h1>\n<p>" +
          Escaped(Summary(Count(results))) + "</p>\n";
  html += kHtmlControls;
  // What needs attention comes first.
  for (bool bad : {true, false}) {
    for (const CaseResult& result : results) {
      if (IsBad(result) == bad) html += HtmlRow(result);
    }
  }
  return html += kHtmlTail;
}

Status WriteFile(const std::string& path, std::string_view text) {
  std::ofstream file(path, std::ios::binary | std::ios::trunc);
  file << text;
  file.close();
  if (file.good()) return Status();
  return Status(Code::kPermissionDenied, path + ": cannot be written");
}

}  // namespace tagflow::conformance
